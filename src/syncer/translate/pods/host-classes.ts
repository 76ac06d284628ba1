import { type Json, textAt } from '../reading.ts'
import type { PodDraft } from '../pod-draft/pod-draft.ts'

/**
 * The classes of a pod on the host. A priority class of the plane that none of the host stands for has no meaning there,
 * `system-node-critical` included; a runtime class has to be one of those that the plane may use, since a pod that asks
 * for isolation must not run without it.
 */
export function toHostClasses({ context, pod, refusals }: PodDraft): Json {
  const priority = context.priorityClasses.get(textAt(pod.spec, 'priorityClassName') ?? '')
  const runtime = textAt(pod.spec, 'runtimeClassName')
  if (runtime !== undefined && !context.runtimeClasses.includes(runtime)) {
    refusals.push(
      `spec.runtimeClassName "${runtime}" is not allowed to pods of this plane, "sync.runtimeClasses: [${runtime}]" in the plane's spec would allow it`,
    )
  }
  return {
    ...(priority === undefined ? {} : { priorityClassName: priority }),
    ...(runtime === undefined ? {} : { runtimeClassName: runtime }),
  }
}
