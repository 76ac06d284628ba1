import { runInPod } from '../shared/run-in-pod.ts'
import { runKeeper } from './run-keeper.ts'

// The program of the keeper's container.
await runInPod(runKeeper)
