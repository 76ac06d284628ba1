import { runInPod } from '../shared/run-in-pod.ts'
import { runKeeper } from './run-keeper.ts'
import { readSettings } from './pod/settings.ts'

// The program of the keeper's container.
await runInPod((pod) => runKeeper({ settings: readSettings(pod.environment), ...pod }))
