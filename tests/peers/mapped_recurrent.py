"""RNN, LSTM and SVDF of every form beside LiteRT; part of tests/peers/mapped.py."""
from mapped_checks import *

T, B, I, U = 3, 2, 4, 5
ACT = {"none": 0, "relu": 1, "tanh": 4}
once, again = [real(B, T, I)], [real(B, T, I)]
for word, act in ACT.items():
    case = Case("RNN", "RNNOptions", fusedActivationFunction=act).fed(f32, [B, I]).constant(real(U, I)).constant(real(U, U) / 3).constant(real(U))
    case.variable(f32, [B, U]).output(f32, [B, U])
    check(f"RNN {word}", case, [real(B, I)], [real(B, I)], args=["--stateful"])
    for major in (False, True):
        shape = [T, B] if major else [B, T]
        case = Case("UNIDIRECTIONAL_SEQUENCE_RNN", "SequenceRNNOptions", fusedActivationFunction=act, timeMajor=major).fed(f32, [*shape, I])
        case.constant(real(U, I)).constant(real(U, U) / 3).constant(real(U)).variable(f32, [B, U]).output(f32, [*shape, U])
        check(f"UNIDIRECTIONAL_SEQUENCE_RNN {word} {'time' if major else 'batch'} first", case, [real(*shape, I)], [real(*shape, I)], args=["--stateful"])
for merge in (False, True):
    for aux in ("", "in place", "beside"):
        shape = [T, B] if aux == "in place" else [B, T]
        case = Case("BIDIRECTIONAL_SEQUENCE_RNN", "BidirectionalSequenceRNNOptions", fusedActivationFunction=4, mergeOutputs=merge, timeMajor=shape[0] == T)
        case.fed(f32, [*shape, I])
        for _ in range(2):
            case.constant(real(U, I)).constant(real(U, U) / 3).constant(real(U)).variable(f32, [B, U])
        row = [real(*shape, I)]
        if aux:
            case.fed(f32, [*shape, I])
            row.append(real(*shape, I))
        else:
            case.absent()
        if aux == "beside":
            case.constant(real(U, I)).constant(real(U, I))
        else:
            case.absent(2)
        case.output(f32, [*shape, 2 * U if merge else U])
        if not merge:
            case.output(f32, [*shape, U])
        check(f"BIDIRECTIONAL_SEQUENCE_RNN {'merged ' if merge else ''}{aux}", case, row, [real(*a.shape) for a in row], args=["--stateful"])


def lstm_part(case, peep=False):
    for _ in range(4):
        case.constant(real(U, I))
    for _ in range(4):
        case.constant(real(U, U) / 3)
    case.constant(real(U)).constant(real(U)).constant(real(U)) if peep else case.absent(3)
    for _ in range(4):
        case.constant(real(U))
    return case.absent(2)


for merge in (False, True):
    for peep in (False, True):
        shape = [T, B] if merge else [B, T]  # merged and batch first, LiteRT's kernel reads memory that it has not written
        case = Case("BIDIRECTIONAL_SEQUENCE_LSTM", "BidirectionalSequenceLSTMOptions", fusedActivationFunction=4, mergeOutputs=merge, timeMajor=merge)
        lstm_part(lstm_part(case.fed(f32, [*shape, I]), peep), peep)
        for _ in range(4):
            case.variable(f32, [B, U])
        case.absent(9).output(f32, [*shape, 2 * U if merge else U])
        if not merge:
            case.output(f32, [*shape, U])
        check(f"BIDIRECTIONAL_SEQUENCE_LSTM {'merged ' if merge else ''}{'peepholes' if peep else ''}", case, [real(*shape, I)], [real(*shape, I)],
              args=["--stateful"])
case = lstm_part(Case("LSTM", "LSTMOptions", fusedActivationFunction=4, cellClip=3.0).fed(f32, [B, I]))
check("LSTM", case.variable(f32, [B, U]).variable(f32, [B, U]).absent(4).output(f32, [B, U]), [real(B, I)], [real(B, I)], args=["--stateful"])
for asymmetric in (False, True):
    case = Case("LSTM", "LSTMOptions", version=4, fusedActivationFunction=4, asymmetricQuantizeInputs=asymmetric).fed(f32, [B, I])
    for length in [I] * 4 + [U] * 4:
        case.constant(rng.integers(-127, 128, (U, length)).astype(i8), 0.004)
    case.absent(3)
    for _ in range(4):
        case.constant(real(U))
    case.absent(2).variable(f32, [B, U]).variable(f32, [B, U]).absent(4).output(f32, [B, U])
    check(f"LSTM hybrid {'asymmetric' if asymmetric else ''}", case, *[[real(B, I)] for _ in range(5)], args=["--stateful"], near=1e-6, mode="int")
case = Case("LSTM", "LSTMOptions", version=2, fusedActivationFunction=4, kernelType=1).fed(f32, [B, I]).fed(f32, [B, U]).constant(real(4 * U, I + U))
case.constant(real(4 * U)).fed(f32, [B, U]).output(f32, [B, U]).output(f32, [B, U]).output(f32, [B, I + U]).output(f32, [B, 4 * U])
check("LSTM basic", case, [real(B, I), real(B, U), real(B, U)])

for merge in (False, True):
    case = Case("BIDIRECTIONAL_SEQUENCE_LSTM", "BidirectionalSequenceLSTMOptions", fusedActivationFunction=4, mergeOutputs=merge, timeMajor=True)
    lstm_part(lstm_part(case.fed(f32, [T, B, I])))
    for _ in range(4):
        case.variable(f32, [B, U])
    case.fed(f32, [T, B, I])
    for _ in range(8):
        case.constant(real(U, I))
    case.output(f32, [T, B, 2 * U if merge else U])
    if not merge:
        case.output(f32, [T, B, U])
    check(f"BIDIRECTIONAL_SEQUENCE_LSTM {'merged ' if merge else ''}beside", case, [real(T, B, I), real(T, B, I)], [real(T, B, I), real(T, B, I)],
          args=["--stateful"])


def any_lstm(operator, shape, out, coupled=False, peep=False, norm=False, project=0, kind=f32, act=4, **options):
    """Weights in codes if `kind` says so, one scale each."""
    H = project or U
    table = "LSTMOptions" if operator == "LSTM" else "UnidirectionalSequenceLSTMOptions"
    case = Case(operator, table, version=3, fusedActivationFunction=act, **options).fed(f32, [*shape, I])

    def weights(*dims):
        if kind == f32:
            case.constant(real(*dims) / 3)
        else:
            case.constant(rng.integers(-127, 128, dims).astype(kind), 0.003 + 0.003 * rng.random())

    first = 1 if coupled else 0
    for dims in ((U, I), (U, H)):
        case.absent(first)
        for _ in range(4 - first):
            weights(*dims)
    if peep:
        case.absent(first)
        for _ in range(3 - first):
            weights(U)
    else:
        case.absent(3)
    case.absent(first)
    for _ in range(4 - first):
        case.constant(real(U))
    if project:
        weights(H, U)
        case.constant(real(H))
    else:
        case.absent(2)
    case.variable(f32, [B, H]).variable(f32, [B, U])
    if norm:
        case.absent(first)
        for _ in range(4 - first):
            case.constant(1 + real(U) / 4)
    else:
        case.absent(4)
    return case.output(f32, [*out, H])


for operator, shape, more in (("LSTM", [B], {}), ("UNIDIRECTIONAL_SEQUENCE_LSTM", [T, B], {"timeMajor": True}),
                              ("UNIDIRECTIONAL_SEQUENCE_LSTM", [B, T], {"timeMajor": False})):
    for kinds in ({"coupled": True}, {"coupled": True, "peep": True}, {"project": 3}, {"project": 3, "projClip": 0.2, "cellClip": 0.5}, {"norm": True},
                  {"norm": True, "peep": True, "coupled": True, "project": 7}, {"act": 3}):
        line = f"{operator} {'time first ' if more.get('timeMajor') else ''}{' '.join(f'{k}={v}' for k, v in kinds.items())}"
        check(line, any_lstm(operator, shape, shape, **kinds, **more), [real(*shape, I)], [real(*shape, I)], args=["--stateful"])
for asymmetric in (False, True):
    for peep in (False, True):
        case = any_lstm("UNIDIRECTIONAL_SEQUENCE_LSTM", [T, B], [T, B], kind=i8, peep=peep, timeMajor=True, asymmetricQuantizeInputs=asymmetric)
        check(f"UNIDIRECTIONAL_SEQUENCE_LSTM hybrid {'peepholes ' if peep else ''}{'asymmetric' if asymmetric else ''}", case, [real(T, B, I)], [real(T, B, I)],
              args=["--stateful"], near=0.02)
        case = Case("UNIDIRECTIONAL_SEQUENCE_RNN", "SequenceRNNOptions", version=2, fusedActivationFunction=4, timeMajor=peep, asymmetricQuantizeInputs=asymmetric)
        shape = [T, B] if peep else [B, T]
        case.fed(f32, [*shape, I]).constant(rng.integers(-127, 128, (U, I)).astype(i8), 0.005).constant(rng.integers(-127, 128, (U, U)).astype(i8), 0.004)
        case.constant(real(U)).variable(f32, [B, U]).output(f32, [*shape, U])
        check(f"UNIDIRECTIONAL_SEQUENCE_RNN hybrid {'time' if peep else 'batch'} first {'asymmetric' if asymmetric else ''}", case, [real(*shape, I)],
              [real(*shape, I)], args=["--stateful"], near=0.02)
check("LSTM hybrid project", any_lstm("LSTM", [B], [B], kind=i8, project=3), [real(B, I)], [real(B, I)], args=["--stateful"], near=0.02)

# ---- SVDF -----------------------------------------------------------------------------------------------------------------

M = 6
for rank in (1, 2):
    F = U * rank
    for act in (0, 1):
        case = Case("SVDF", "SVDFOptions", rank=rank, fusedActivationFunction=act).fed(f32, [B, I]).constant(real(F, I)).constant(real(F, M))
        check(f"SVDF rank {rank} {'relu' if act else ''}", case.constant(real(U)).variable(f32, [B, F * M]).output(f32, [B, U]),
              *[[real(B, I)] for _ in range(8)], args=["--stateful"])
    case = Case("SVDF", "SVDFOptions", version=3, rank=rank, fusedActivationFunction=1).fed(i8, [B, I], 0.05, 3)
    case.constant(rng.integers(-127, 128, (F, I)).astype(i8), 0.01).constant(rng.integers(-3000, 3000, (F, M)).astype(i16), 0.0003)
    case.constant(rng.integers(-3000, 3000, U).astype(i32), 0.0003 * 0.004).variable(i16, [B, F * M], 0.004).output(i8, [B, U], 0.02, -128)
    check(f"SVDF int8 rank {rank}", case, *[[rng.integers(-128, 128, (B, I)).astype(i8)] for _ in range(10)], args=["--stateful"], mode="int")
    for asymmetric in (False, True):
        case = Case("SVDF", "SVDFOptions", version=2, rank=rank, fusedActivationFunction=0, asymmetricQuantizeInputs=asymmetric).fed(f32, [B, I])
        case.constant(rng.integers(-127, 128, (F, I)).astype(i8), 0.01)
        case.constant(rng.integers(-127, 128, (F, M)).astype(i8), 0.02).constant(real(U)).variable(f32, [B, F * M])
        check(f"SVDF hybrid rank {rank} {'asymmetric' if asymmetric else ''}", case.output(f32, [B, U]), *[[real(B, I)] for _ in range(8)],
              args=["--stateful"], near=1e-6, mode="int")

# ---- collected with their state -------------------------------------------------------------------------------------------

case = lstm_part(Case("UNIDIRECTIONAL_SEQUENCE_LSTM", "UnidirectionalSequenceLSTMOptions", fusedActivationFunction=4).fed(f32, [1, T, I]))
check_collected("collected LSTM", case.variable(f32, [1, U]).variable(f32, [1, U]).absent(4).output(f32, [1, T, U]), [real(1, T, I) for _ in range(6)])
case = Case("RNN", "RNNOptions", fusedActivationFunction=4).fed(f32, [1, I]).constant(real(U, I) / 3).constant(real(U, U) / 2).constant(real(U))
check_collected("collected RNN", case.variable(f32, [1, U]).output(f32, [1, U]), [real(1, I) for _ in range(6)])
case = Case("SVDF", "SVDFOptions", rank=1, fusedActivationFunction=0).fed(f32, [1, I]).constant(real(U, I)).constant(real(U, M)).constant(real(U))
check_collected("collected SVDF", case.variable(f32, [1, U * M]).output(f32, [1, U]), [real(1, I) for _ in range(6)])
