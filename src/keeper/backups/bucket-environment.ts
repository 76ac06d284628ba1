import type { KubeClient } from '../../kube/client/client.ts'
import type { Environment } from '../../shared/environment.ts'
import { recordAt } from '../../shared/json-fields.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** The environment with the variables in the Secret of a bucket, if it has one and the Secret exists. */
export async function bucketEnvironment(
  { environment, host }: { environment: Environment; host: Pick<KubeClient, 'get'> },
  { namespace, secret }: { namespace: string; secret: string | undefined },
  signal: AbortSignal,
): Promise<Environment> {
  const path = secret && objectPath('secrets', { name: secret, namespace })
  const data = path === undefined ? {} : recordAt(await host.get(path, { signal }), 'data')
  const variables = Object.entries(data ?? {}).map(([variable, value]) => [
    variable,
    Buffer.from(String(value), 'base64').toString(),
  ])
  return { ...environment, ...Object.fromEntries(variables) }
}
