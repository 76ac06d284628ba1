import { recordAt } from '../../shared/json-fields.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { namedNodes } from '../translate/pod-placement/host-placement.ts'
import { isRefusal } from '../translate/refusal.ts'
import { isPlaced, nodeNameOf } from '../translate/pod-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

type PlacingContext = Pick<SyncContext, 'translatePod'> & {
  surroundings: Pick<SyncContext['surroundings'], 'scheduler'>
}

/** Whether a host pod is on another node than the virtual one, or waits with outdated rules, which are immutable. */
export function isMisplaced(
  { surroundings, translatePod }: PlacingContext,
  { host, virtual }: { virtual: KubeObject; host: KubeObject },
): boolean {
  const [current, wanted] = [host, virtual].map(nodeNameOf)
  if (current !== undefined) {
    return wanted !== undefined && current !== wanted
  }
  if (!isPlaced(virtual, surroundings)) {
    // The plane got its own scheduler.
    return true
  }
  const translated = translatePod(virtual)
  // A difference means that a node was cordoned or uncordoned.
  return !isRefusal(translated) && rulesOf(host) !== rulesOf(translated.pod)
}

function rulesOf(pod: KubeObject): string {
  return namedNodes(recordAt(pod, 'spec') ?? {}).join()
}
