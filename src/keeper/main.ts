import { runInPod } from '../shared/run-in-pod.ts'
import { runKeeper } from './run-keeper.ts'
import { readSettings } from './pod/settings.ts'

// The keeper's pod runs this until it is told to stop.
await runInPod((pod) => runKeeper({ settings: readSettings(pod.environment), ...pod }))
