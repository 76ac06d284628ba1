import { runInPod } from '../shared/run-in-pod.ts'
import { runSyncer } from './run-syncer.ts'
import { readSettings } from './scope/settings.ts'

// The entry point of the syncer's pod: it runs until the pod gets a signal to stop.
await runInPod((pod) => runSyncer({ settings: readSettings(pod.environment), ...pod }))
