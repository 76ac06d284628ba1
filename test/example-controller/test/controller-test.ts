import { readFile } from 'node:fs/promises'
import {
  type KubeConfig,
  loadYaml,
  RbacAuthorizationV1Api,
  type V1ClusterRole,
} from '@kubernetes/client-node'
import { kubeConfigOf } from 'vplane/client-node'
import { planeTest } from 'vplane/vitest'
import { startController } from '../src/controller.ts'

const ROLE = new URL('../config/rbac/role.yaml', import.meta.url)
const USER = 'greeting-controller'

/** A test beside a controller that runs in the namespace of the file, with the rights it has in a cluster. */
export const test = planeTest()
  .extend('admin', { scope: 'file' }, ({ plane }) => kubeConfigOf(plane))
  .extend('failures', { scope: 'file', auto: true }, async ({ admin, namespace, plane }, hooks) => {
    await grantRole(admin, namespace)
    const user = await plane.addUser({ name: USER })
    const failures: unknown[] = []
    const controller = await startController(kubeConfigOf(user), {
      namespace,
      onError: (error) => failures.push(error),
    })
    hooks.onCleanup(() => controller[Symbol.asyncDispose]())
    return failures
  })

async function grantRole(admin: KubeConfig, namespace: string): Promise<void> {
  const rbac = admin.makeApiClient(RbacAuthorizationV1Api)
  const { rules = [] } = loadYaml<V1ClusterRole>(await readFile(ROLE, 'utf8'))
  await rbac.createNamespacedRole({ namespace, body: { metadata: { name: USER }, rules } })
  await rbac.createNamespacedRoleBinding({
    namespace,
    body: {
      metadata: { name: USER },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: USER },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER }],
    },
  })
}
