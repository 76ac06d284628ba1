import type { LogLines, LogRequest } from '../../../control-plane/driver/driver.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import { componentPods } from '../observed/ready-pod.ts'
import { followLogs } from './follow-logs.ts'
import { podLog } from './pod-log.ts'
import { wholeLines } from '../../../shared/text/whole-lines.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/**
 * Yields the log of one component: of its pods one after the other, or with `follow` of all concurrently, including
 * later pods, until the signal fires.
 */
export async function* readLogs(
  api: Pick<HostApi, 'get' | 'list' | 'stream' | 'watch'>,
  { place, request }: { place: PlacedName; request: LogRequest },
  signal: AbortSignal,
): AsyncGenerator<LogLines> {
  if (request.follow) {
    yield* followLogs(api, { place, request }, signal)
    return
  }
  const { component, sinceMs, tail } = request
  const pods = await componentPods(api, { ...place, component }, signal)
  for (const pod of pods.toSorted(byCreation)) {
    const options = { container: component, follow: false, sinceMs, tail, signal }
    for await (const text of wholeLines(podLog(api, pod, options))) {
      yield { text, pod: pod.metadata.name ?? '', isOneOfSeveral: pods.length > 1 }
    }
  }
}

function byCreation(left: KubeObject, right: KubeObject): number {
  const createdAt = ({ metadata }: KubeObject) => String(metadata['creationTimestamp'])
  return createdAt(left).localeCompare(createdAt(right))
}
