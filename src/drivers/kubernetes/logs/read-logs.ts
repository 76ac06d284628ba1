import type { LogRequest } from '../../../control-plane/driver/driver.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import { componentPods } from '../observed/ready-pod.ts'
import { followLogs } from './follow-logs.ts'
import { podLog } from './pod-log.ts'
import { prefixed } from '../../../shared/text/prefixed.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** Reads one pod after the other, or with `follow` all concurrently, including later ones. */
export async function* readLogs(
  api: Pick<HostApi, 'get' | 'list' | 'stream' | 'watch'>,
  { place, request }: { place: PlacedName; request: LogRequest },
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (request.follow) {
    yield* followLogs(api, { place, request }, signal)
    return
  }
  const { component, tail } = request
  const pods = await componentPods(api, { ...place, component }, signal)
  for (const pod of pods.toSorted(byCreation)) {
    const text = podLog(api, pod, { container: component, follow: false, tail, signal })
    yield* pods.length > 1 ? prefixed(text, `${pod.metadata.name}: `) : text
  }
}

function byCreation(left: KubeObject, right: KubeObject): number {
  const createdAt = ({ metadata }: KubeObject) => String(metadata['creationTimestamp'])
  return createdAt(left).localeCompare(createdAt(right))
}
