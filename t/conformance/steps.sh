# Runs inside an allocation of two nodes.
srun -N2 -J long sleep 3 & long=$!
until [ -n "$(squeue -h -s -j "$SLURM_JOB_ID" -o %i)" ]; do sleep 0.1; done
srun --overlap -N1 -n1 sleep 1 || exit 10
wait $long || exit 11
srun -N2 sleep 1 || exit 12
srun -N1 -n1 false && exit 13
exit 5
