import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { createKubeClient } from '../../kube/client/client.ts'
import type { KubeConnection } from '../../kube/connection.ts'
import { isAboutUse, type PlaneUse, useOf } from './plane-use.ts'

/**
 * How much a plane was used, by asking all of its kube-apiservers.
 *
 * @throws {VplaneError} `UNREACHABLE` when one does not answer, `FAILED` when it says nothing.
 */
export async function readUse(
  servers: readonly KubeConnection[],
  signal: AbortSignal,
): Promise<PlaneUse> {
  return useOf(await Promise.all(servers.map((server) => readMetrics(server, signal))))
}

/** The lines that matter: all of them are megabytes. */
async function readMetrics(connection: KubeConnection, signal: AbortSignal): Promise<string[]> {
  await using client = createKubeClient(connection)
  const text = client.stream('/metrics', { signal })
  const lines: string[] = []
  for await (const line of createInterface({ input: Readable.from(text) })) {
    if (isAboutUse(line)) {
      lines.push(line)
    }
  }
  return lines
}
