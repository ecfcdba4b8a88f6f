#!/bin/sh
# As root: the tests of steps once more as an ordinary user.
. "$WT_SRCDIR/t/as-user.sh"
as_user_again t0204-steps.t harness/vnode/rpc_send
