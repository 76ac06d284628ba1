import { httpStatusOf } from '../../../kube/kube-error.ts'
import { objectPath } from '../collections.ts'
import type { HostApi } from '../host-api.ts'

/** A panic comes with a few dozen lines of trace. */
const READ_LINES = 100

/** What the kubelet answers, with status 200, when it has thrown a log away. */
const NO_LOG = /^unable to retrieve container logs for \S+$/

export interface LogPlace {
  pod: string
  namespace: string
  container: string
}

/** The last lines that a container wrote which runs no more; none when the host does not have them, or does not give them. */
export async function readLastLines(
  api: Pick<HostApi, 'stream'>,
  { container, namespace, pod }: LogPlace,
  signal: AbortSignal,
): Promise<string[]> {
  // Not "previous": while nothing runs, the log is that of the last run, and older ones are thrown away at once.
  const query = new URLSearchParams({ container, tailLines: String(READ_LINES) })
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
