#!/bin/sh
# As root: the controller's tests once more as an ordinary user.
. "$WT_SRCDIR/t/as-user.sh"
as_user_again t0202-vnode-controller.t harness/vnode/rpc_send
