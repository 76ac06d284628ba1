import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createKubeClient } from '../../../kube/client/client.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'

/** What is healthy answers in milliseconds; what takes longer than this is not. */
const HEALTH_TIMEOUT_MS = 2000

/** Why the API at `server` is not ready; undefined when it is. */
export async function apiProblem(
  server: string,
  folder: Pick<PlaneFolder, 'pki'>,
): Promise<string | undefined> {
  const answer = await ask(server, '/readyz', folder)
  if (answer === undefined) {
    return 'the API does not answer'
  }
  const failed = answer.body.split('\n').filter((line) => line.startsWith('[-]'))
  return answer.status === 200
    ? undefined
    : `the API is not ready: ${failed.join(', ') || `HTTP ${answer.status}`}`
}

/** Why kube-controller-manager, which serves at `server`, is not healthy; undefined when it is. */
export async function controllerManagerProblem(
  server: string,
  folder: Pick<PlaneFolder, 'pki'>,
): Promise<string | undefined> {
  const answer = await ask(server, '/healthz', folder)
  if (answer === undefined) {
    return 'does not answer'
  }
  return answer.status === 200 ? undefined : `is not healthy: HTTP ${answer.status}`
}

async function ask(
  server: string,
  path: string,
  { pki }: Pick<PlaneFolder, 'pki'>,
): Promise<{ status: number; body: string } | undefined> {
  try {
    const certificateAuthority = await readFile(join(pki, 'ca.crt'), 'utf8')
    await using client = createKubeClient({ server, certificateAuthority })
    return await client.text(path, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) })
  } catch {
    // Whatever it is, it cannot be used: that is what a status says.
    return undefined
  }
}
