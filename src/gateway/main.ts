import { runInPod } from '../shared/run-in-pod.ts'
import { runGateway } from './run-gateway.ts'

// The program of the gateway's container.
await runInPod(runGateway)
