import { runInPod } from '../shared/run-in-pod.ts'
import { runSyncer } from './run-syncer.ts'
import { readSettings } from './scope/settings.ts'

// The syncer's pod runs this until it is told to stop.
await runInPod((pod) => runSyncer({ settings: readSettings(pod.environment), ...pod }))
