#!/bin/sh
# What a task of a virtual node does, by its environment.
test -z "$WINDTUNNEL_IGNORE_TERM" || trap '' TERM
sleep "${WINDTUNNEL_RUN_TIME_S:-0}"
test -z "$WINDTUNNEL_FAIL" || kill -"${WINDTUNNEL_FAIL#signal:}" $$
exit "${WINDTUNNEL_EXIT_CODE:-0}"
