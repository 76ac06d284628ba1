import { createKubeClient } from '../../../src/kube/client/client.ts'
import type { KubeConnection, Patience } from '../../../src/kube/connection.ts'
import { endsWithTest } from '../ends-with-test.ts'
import { type Answerer, startFakeApiServer } from './fake-api-server.ts'

/** A fake API server and a client of it, which retries quickly unless told otherwise; both end with the test. */
export async function servedClient(
  answer: Answerer,
  patience: Partial<Patience> = {},
  changes: Partial<KubeConnection> = {},
) {
  const server = endsWithTest(await startFakeApiServer(answer))
  const connection = { ...server.connection, ...changes }
  const quick = { retryMs: 1, maxRetryMs: 50 }
  return { client: endsWithTest(createKubeClient(connection, { ...quick, ...patience })), server }
}
