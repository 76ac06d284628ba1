import type { KubeClient } from './client.ts'
import { httpStatusOf } from '../kube-error.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** A panic comes with a few dozen lines of trace. */
const READ_LINES = 100

/** What the kubelet answers, with status 200, when it has thrown a log away. */
const NO_LOG = /^unable to retrieve container logs for \S+$/

export interface LogPlace {
  pod: string
  namespace: string
  container: string
  /** Of the run before the one that goes on now, which the host may not have any more. @default false */
  isPrevious?: boolean
}

/** The last lines that a container wrote which runs no more; none when the host does not have them, or does not give them. */
export async function readLastLines(
  api: Pick<KubeClient, 'stream'>,
  { container, isPrevious = false, namespace, pod }: LogPlace,
  signal: AbortSignal,
): Promise<string[]> {
  // Mostly not "previous": while nothing runs, the log is that of the last run, and older ones are thrown away at once.
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
    // The pod may be gone, its node silent, or logs not for this user: the problem stands without it.
    return []
  }
  const lines = text.trimEnd().split('\n')
  return lines.filter((line) => line !== '' && !NO_LOG.test(line))
}
