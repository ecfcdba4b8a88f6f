/* What cppcheck (make analyse) must know of macros in headers that it does not read. */
#define json_array_foreach(array, i, v) for (i = 0; i < json_array_size(array) && (v = json_array_get(array, i)); i++)
#define json_object_foreach(object, k, v) \
	for (k = json_key(object); k && (v = json_object_get(object, k)); k = json_next_key(object, k))
