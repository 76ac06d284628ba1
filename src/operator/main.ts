import { runInPod } from '../shared/run-in-pod.ts'
import { startOperator } from './start-operator.ts'

// The program of the operator's container.
await runInPod((pod) => startOperator(pod))
