import { stat } from 'node:fs/promises'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import type { Environment } from '../../shared/environment.ts'
import { KubeconfigEntry } from './kubeconfig/kubeconfig-entry.ts'
import type { ResolvedContext } from './kubeconfig/resolve-context.ts'
import { contentOf } from './kubeconfig/stored-credential.ts'

/** Where every pod with a service account finds its token, CA and namespace. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The cluster in whose pod this process runs, as a context; undefined when it runs in none. */
export async function inClusterContext(
  environment: Environment,
  folder: string = SERVICE_ACCOUNT,
): Promise<ResolvedContext | undefined> {
  const host = environment['KUBERNETES_SERVICE_HOST'] ?? ''
  const port = environment['KUBERNETES_SERVICE_PORT'] ?? ''
  const token = join(folder, 'token')
  if (host === '' || port === '' || !(await isThere(token))) {
    return undefined
  }
  const authority = join(folder, 'ca.crt')
  const namespace = join(folder, 'namespace')
  const entry = (what: string, fields: object) => new KubeconfigEntry(what, folder, fields)
  return {
    name: 'in-cluster',
    namespace:
      ((await isThere(namespace)) &&
        (await contentOf({ what: 'namespace', file: namespace }))?.trim()) ||
      'default',
    cluster: entry('the cluster of this pod', {
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      ...((await isThere(authority)) && { 'certificate-authority': authority }),
    }),
    user: entry('the service account of this pod', { tokenFile: token }),
  }
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file)
    return true
  } catch {
    // As client-go does: what cannot be looked at is not there.
    return false
  }
}
