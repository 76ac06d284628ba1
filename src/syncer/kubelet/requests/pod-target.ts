import { type ObjectNames, toVirtualWords } from '../../translate/virtual-words.ts'
import { hostPath } from './host-path.ts'
import type { KubeletAnswer } from './kubelet-answer.ts'
import type { PodRequest } from './parse-pod-request.ts'
import type { Query } from './parse-query.ts'

/** The host pod of a virtual one. */
export interface LocatedPod {
  namespace: string
  name: string
  /** Of the host pod. */
  uid?: string | undefined
  virtualUid?: string | undefined
}

/** Where the host does what is asked of a virtual pod. */
export interface PodTarget {
  /** Path and query at the host's API server. */
  path: string
  /** What the host says, in the words of the plane. */
  toVirtual: (answer: KubeletAnswer) => KubeletAnswer
}

/** The target of a request, or the 404 of a kubelet that has no such pod. */
export function podTarget(
  request: PodRequest,
  { located, query }: { located: LocatedPod | undefined; query: Query },
): PodTarget | KubeletAnswer {
  const { namespace, pod, uid } = request
  if (located === undefined) {
    return { status: 404, body: `pod "${pod}" does not exist` }
  }
  if (uid !== undefined && uid !== located.virtualUid) {
    return { status: 404, body: `pod "${pod}" with UID "${uid}" does not exist` }
  }
  const virtual: ObjectNames = { namespace, name: pod, uid: located.virtualUid }
  return {
    path: hostPath(request, located, query),
    toVirtual: (answer) => ({
      ...answer,
      body: toVirtualWords(answer.body, { host: located, virtual }),
    }),
  }
}
