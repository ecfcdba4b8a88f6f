#!/bin/sh
test_description='config/check-symbols: what the plugins name is there in this Slurm, and what is not there is found'
. "$WT_SRCDIR/t/setup.sh"

check() { "$WT_SRCDIR/config/check-symbols" "$@"; }
subst() { sed -n "s/^$1 = //p" "$WT_BUILDDIR/plugins/Makefile"; }
slurmctld=$(subst SLURMCTLD) full=$(subst SLURM_PLUGIN_DIR)/libslurmfull.so
# plugin NAME: a shared object of standard input.
plugin() { cc -shared -fPIC -x c - -o "$1.so"; }

command -v cc >/dev/null && test_set_prereq CC
test_expect_success CC 'functions and data of slurmctld, of its library and of libc are found' '
	plugin good <<-\END && check good.so "$slurmctld" "$full" 2>err && wt_empty err
		#include <stdio.h>
		extern int job_list, slurm_conf;
		int schedule_job_save(void), slurm_xstrcmp(const char *, const char *);
		int f(void) { return puts("x") + schedule_job_save() + slurm_xstrcmp("", "") + *&job_list + *&slurm_conf; }
	END
'
test_expect_success CC 'a function that this release does not have is found' '
	plugin strong <<-\END && test_expect_code 1 check strong.so "$slurmctld" "$full" 2>err &&
		int select_p_of_another_release(void);
		int f(void) { return select_p_of_another_release(); }
	END
	test_line_count = 1 err && grep "strong.so: nobody defines select_p_of_another_release$" err
'
test_expect_success CC 'so is a weak one, which no linker speaks of' '
	plugin weak <<-\END && test_expect_code 1 check weak.so "$slurmctld" "$full" 2>err &&
		extern int *bitmap_of_another_release __attribute__((weak));
		int f(void) { return *bitmap_of_another_release; }
	END
	grep "weak.so: nobody defines bitmap_of_another_release (weak)$" err
'
test_expect_success CC 'data of slurmctld alone is not for what Slurm commands load, too, unless it is weak; functions are' '
	plugin data <<-\END && check data.so "$slurmctld" "$full" &&
		extern int job_list;
		int schedule_job_save(void);
		int f(void) { return *&job_list + schedule_job_save(); }
	END
	test_expect_code 1 check --commands data.so "$slurmctld" "$full" 2>err && test_line_count = 1 err &&
	grep "commands do not have job_list$" err &&
	plugin weakdata <<-\END && check --commands weakdata.so "$slurmctld" "$full"
		extern int job_list __attribute__((weak));
		int f(void) { return &job_list ? job_list : 0; }
	END
'
test_expect_success 'what cannot be read is an error of another kind' '
	test_expect_code 2 check nothing.so "$slurmctld" 2>err && grep "nothing.so cannot be read" err &&
	echo text >text.so && test_expect_code 2 check text.so "$slurmctld" 2>err && test_expect_code 2 check text.so
'
# A fault planted in the real one: its copy names a symbol that is not there.
test_expect_success 'the check of each plugin passes, and fails with one wrong name in it' '
	for folder in select_bestfit straggler; do
		make -s -C "$WT_BUILDDIR/plugins/$folder" check-symbols || return 1
	done &&
	cp "$WT_BUILDDIR/plugins/select_bestfit/slurm/select_cons_tres.so" planted.so &&
	perl -pi -e "s/\\0queue_job_scheduler\\0/\\0queue_job_schedulex\\0/" planted.so &&
	test_expect_code 1 check planted.so "$slurmctld" "$full" 2>err && grep "queue_job_schedulex (weak)$" err
'
test_done
