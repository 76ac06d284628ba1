import type { KubeClient } from './client.ts'
import { httpStatusOf } from '../kube-error.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** A panic comes with a few dozen lines of trace. */
const READ_LINES = 100

/** The response of the kubelet, with status 200, for a deleted log. */
const NO_LOG = /^unable to retrieve container logs for \S+$/

export interface LogPlace {
  pod: string
  namespace: string
  container: string
  /** The log of the previous run, which the host may have deleted. @default false */
  isPrevious?: boolean
}

/** The last lines of a container that has ended; none if the host has deleted or does not return them. */
export async function readLastLines(
  api: Pick<KubeClient, 'stream'>,
  { container, isPrevious = false, namespace, pod }: LogPlace,
  signal: AbortSignal,
): Promise<string[]> {
  // Rarely "previous": while no container runs, the log is that of the last run; older ones are deleted at once.
  const query = new URLSearchParams({
    container,
    tailLines: String(READ_LINES),
    ...(isPrevious ? { previous: 'true' } : {}),
  })
  const path = `${objectPath('pods', { name: pod, namespace })}/log?${query.toString()}`
  let text = ''
  try {
    for await (const chunk of api.stream(path, { signal })) {
      text += chunk
    }
  } catch (error) {
    if (httpStatusOf(error) === undefined) {
      throw error
    }
    // The pod may be deleted, its node unreachable, or the log forbidden: the problem is reported without it.
    return []
  }
  const lines = text.trimEnd().split('\n')
  return lines.filter((line) => line !== '' && !NO_LOG.test(line))
}
