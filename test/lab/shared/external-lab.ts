import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { VplaneError } from '../../../src/shared/errors.ts'
import type { Lab } from '../lab.ts'
import type { LabContext } from '../lab-context.ts'
import { ensureTool } from '../programs/ensure-parts.ts'
import { findKubectl } from '../programs/find-kubectl.ts'

/**
 * Someone's cluster as tests see it. Its images come from wherever its nodes get theirs; its parts cannot be stopped.
 *
 * @throws {VplaneError} `FAILED` when it does not answer.
 */
export async function externalLab(kubeconfigPath: string, context: LabContext): Promise<Lab> {
  const path = resolve(kubeconfigPath)
  const kubectl = await findKubectl(path, context)
  const nodes = await kubectl(['get', 'nodes', '--output', 'name'])
  const accounts = new Set<string>()
  return {
    name: 'external',
    kubeconfigPath: path,
    kubeconfig: readFileSync(path, 'utf8'),
    nodes: nodes.split('\n').map((line) => line.replace('node/', '')),
    kubectl,
    stopApiServer: () => refuse('stop the API server'),
    startApiServer: () => refuse('start the API server'),
    loadImage: () => refuse('load an image'),
    loadPlaneImages: () => Promise.resolve(),
    loadEtcdImage: () => Promise.resolve(),
    loadKineImage: () => Promise.resolve(),
    loadSchedulerImage: () => Promise.resolve(),
    loadMetricsServerImage: () => refuse('install metrics-server'),
    helm: () => ensureTool('helm', context),
    addSimulatedNodes: () => refuse('add simulated nodes'),
    execOnNode: () => refuse('run a command on a node'),
    endNode: () => refuse('end a node'),
    namespaceAdminKubeconfig: async (namespace) => {
      const user = `${namespace}-admin`
      accounts.add(user)
      await kubectl(['apply', '--server-side', '--filename', '-'], adminObjects(namespace, user))
      const token = await kubectl(['create', 'token', user, '--namespace', 'default'])
      const view = ['config', 'view', '--raw', '--minify', '--flatten', '--output', 'json']
      return withToken(await kubectl(view), { namespace, token: token.trim(), user })
    },
    [Symbol.asyncDispose]: async () => {
      const found = '--ignore-not-found=true'
      if (accounts.size > 0) {
        await kubectl(['delete', 'serviceaccount', ...accounts, '--namespace', 'default', found])
      }
    },
  }
}

function refuse(what: string): Promise<never> {
  return Promise.reject(
    new VplaneError('UNSUPPORTED', `cannot ${what}: the cluster is someone else's`, {
      hints: ['env -u VPLANE_TEST_KUBECONFIG npm test -- lab'],
    }),
  )
}

/** The account is in another namespace, so that nothing of it is found where tests look for what is left. */
function adminObjects(namespace: string, user: string): string {
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: user, namespace: 'default' } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: user, namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
      subjects: [{ kind: 'ServiceAccount', name: user, namespace: 'default' }],
    },
  ]
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })
}

/** The one context of a kubeconfig, for another user and with a namespace. JSON, which every reader of YAML takes. */
export function withToken(
  text: string,
  { namespace, token, user }: { namespace: string; token: string; user: string },
): string {
  const config: { contexts: Array<{ name: string; context: { cluster: string } }> } & Record<
    string,
    unknown
  > = JSON.parse(text)
  return JSON.stringify({
    ...config,
    contexts: config.contexts.map(({ context: { cluster }, name }) => ({
      name,
      context: { cluster, namespace, user },
    })),
    users: [{ name: user, user: { token } }],
  })
}
