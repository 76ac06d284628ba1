import type { KubeObject } from '../../kube/kube-object.ts'
import { type Json, recordAt, recordsAt } from '../translate/reading.ts'

interface Condition extends Json {
  type: string
  status: string
}

/** A condition that is true since now, or since when the node that is known says so. */
export function withTimes(condition: Condition, known: KubeObject | undefined, now: Date): Json {
  const at = `${now.toISOString().slice(0, 19)}Z`
  const before = conditionsOf(known).find(
    ({ status, type }) => type === condition.type && status === condition.status,
  )
  const { lastHeartbeatTime = at, lastTransitionTime = at } = before ?? {}
  return { ...condition, lastHeartbeatTime, lastTransitionTime }
}

/** The conditions of a node whose host node is gone: it is not ready, and nothing else is known. */
export function goneConditions(known: KubeObject, now: Date): Json[] {
  const gone = {
    type: 'Ready',
    status: 'False',
    reason: 'HostNodeGone',
    message: 'the host cluster has no node of this name any more',
  }
  const others = conditionsOf(known).filter(({ type }) => type !== gone.type)
  return [...others, withTimes(gone, known, now)]
}

function conditionsOf(node: KubeObject | undefined): Json[] {
  return recordsAt(recordAt(node ?? {}, 'status') ?? {}, 'conditions')
}
