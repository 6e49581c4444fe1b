#!/usr/bin/env bash
# The Snakefile of examples/batch through Slurm: munged, slurmctld and slurmd are started on this machine, in a folder of their own, and the workflow's
# jobs run by them: four shards give the bytes of one run, a broken model and one whose tool is killed are rows of the table. Needs root; installs
# snakemake, slurm-wlm and munge where they are missing. Exit 77 and a reason where that cannot be. usage: tests/slow/slurm.sh BUILD
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$source/build}" && pwd)
skip() { echo "skipped: $*" && exit 77; }
[ "$(id -u)" = 0 ] || skip "slurmd needs root"
if ! command -v snakemake slurmctld slurmd sbatch munged >/dev/null; then
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends snakemake slurm-wlm munge >/dev/null 2>&1 ||
        skip "the packages snakemake, slurm-wlm and munge cannot be installed here"
fi
work=$(mktemp -d /tmp/quern-slurm.XXXXXX)
chmod 755 "$work"
pids=()
stop() {
    local pid
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
    rm -rf "$work"
}
trap stop EXIT
fail() { echo "FAILED: $*" && tail -n 40 "$work"/*.log 2>/dev/null && exit 1; }

# A cluster of one node; everything of it lies in $work.
mkdir "$work/munge" "$work/state" "$work/spool"
chown munge: "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key" && chown munge: "$work/munge/key" && chmod 400 "$work/munge/key"
runuser -u munge -- munged --foreground --socket="$work/munge/socket" --key-file="$work/munge/key" --pid-file="$work/munge/pid" --log-file="$work/munge/log" \
    --seed-file="$work/munge/seed" >"$work/munged.log" 2>&1 &
pids+=($!)
host=$(hostname -s)
memory=$(awk '/MemTotal/ { print int($2 / 2048) }' /proc/meminfo)
port() { perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport'; }
cat >"$work/slurm.conf" <<END
ClusterName=quern
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
SlurmctldPort=$(port)
SlurmdPort=$(port)
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
KillWait=2
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 RealMemory=$memory
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
END
export SLURM_CONF=$work/slurm.conf
for tries in {1..50}; do [ ! -S "$work/munge/socket" ] || break && sleep 0.2; done
slurmctld -D -f "$SLURM_CONF" >"$work/slurmctld.log" 2>&1 &
pids+=($!)
slurmd -D -f "$SLURM_CONF" >"$work/slurmd.log" 2>&1 &
pids+=($!)
for tries in {1..100}; do
    if sinfo -h -o %t 2>/dev/null | grep -q '^idle'; then break; fi
    [ "$tries" != 100 ] || fail "the node does not come up"
    sleep 0.3
done

# Models on the node, as of a user.
cd "$work"
cp -r "$source/examples/batch" batch
mkdir nets
for name in digits killed; do cp "$source/examples/digits/digits.onnx" "nets/$name.onnx"; done
cp "$source/tests/text/nets/gemm_relu.mlir" nets
head -c 3000 nets/digits.onnx >nets/broken.onnx
head -c 12800 nets/digits.onnx >nets/images.u8
for name in digits killed; do echo "--input 'image=images.u8:u8[1,8,8]/16'" >"nets/$name.onnx.samples"; done
cat >tool <<END
#!/bin/sh
case "\$*" in quantize*killed*) scancel "\$SLURM_JOB_ID" && sleep 60 ;; esac
exec '$build/bin/quern' "\$@"
END
chmod +x tool
started=$SECONDS code=0
snakemake -s batch/Snakefile --profile batch/profiles/slurm --latency-wait 10 --max-status-checks-per-second 5 --default-resources mem_mb=200 runtime=5 \
    --config models=nets out=slurm quern="$work/tool" samples='--random 3' rows=50 check_rows=10 shards=4 >snakemake.log 2>&1 || code=$?
took=$((SECONDS - started))
cat slurm/table.csv || fail "no table"
[ $code != 0 ] || fail "exit 0 with a broken model"
row() { grep -qE "$1" slurm/table.csv || fail "the table has no row $1"; }
row '^broken\.onnx,failed,collect,3,"minmax-collect: \./broken\.onnx: offset 34'
row '^digits\.onnx,ok,'
row '^gemm_relu\.mlir,ok,'
row '^killed\.onnx,failed,quantize,(143,killed by signal 15|,"?did not end)'
grep -q "Submitted group job" snakemake.log || fail "nothing was submitted to Slurm as a group"
jobs=$(find . -maxdepth 1 -name 'slurm-*.log' | wc -l)
[ "$jobs" -ge 15 ] || fail "$jobs jobs ran, want at least 12 shards and 3 models"

# The Makefile on this machine, in one shard.
sed -i 's/scancel.*;;/exit 9 ;;/' tool
make -s -f batch/Makefile MODELS=nets OUT=one QUERN="$work/tool" SAMPLES='--random 3' ROWS=50 CHECK_ROWS=10 >make.log 2>&1 || true
for file in {digits.onnx,gemm_relu.mlir}/{ranges.json,model.onnx}; do cmp "one/$file" "slurm/$file" || fail "$file of four jobs is not that of one"; done
echo "slurm: $jobs jobs of $(ls nets/*.onnx nets/*.mlir | wc -l) models through $(slurmctld -V) in $took s; four shards give the bytes of one run"
