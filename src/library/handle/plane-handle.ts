import type { Driver } from '../../control-plane/driver/driver.ts'
import type { Identity, Plane } from '../../control-plane/plane/plane.ts'
import type { PlaneApi } from '../../control-plane/api/plane-api.ts'
import type { Access } from '../../control-plane/use-cases/access/access.ts'
import type { Contexts } from '../../control-plane/use-cases/access/contexts.ts'
import type { SharedControlPlane, User, WebhookServing } from '../types/control-plane.ts'
import { withUserHints } from '../types/user-error.ts'
import { createNamespace } from './create-namespace.ts'
import { webhooksOf } from './webhook-server.ts'

export const DAY_MS = 24 * 60 * 60 * 1000

export interface ReadyPlane {
  driver: Driver
  plane: Plane
  access: Access
  api: PlaneApi
  contexts: Pick<Contexts, 'render'>
  webhooks: WebhookServing | undefined
}

export function planeHandle(ready: ReadyPlane): SharedControlPlane {
  const { access, api, driver, plane, webhooks } = ready
  return {
    name: plane.name,
    version: plane.spec.version,
    server: access.server,
    certificateAuthority: access.certificateAuthority,
    kubeconfig: kubeconfigOf(ready, access),
    api,
    ...(webhooks === undefined ? {} : { webhooks: webhooksOf(webhooks) }),
    addUser: ({ groups = [], lifetimeMs = DAY_MS, name }) =>
      withUserHints(addUser(ready, { user: name, groups }, lifetimeMs)),
    createNamespace: (options) => createNamespace(api, options),
    logs: async (component, { tail } = {}) => {
      const request = { component, follow: false, ...(tail === undefined ? {} : { tail }) }
      const chunks = driver.logs(plane, request, new AbortController().signal)
      return (await withUserHints(Array.fromAsync(chunks))).join('')
    },
  }
}

async function addUser(ready: ReadyPlane, identity: Identity, lifetimeMs: number): Promise<User> {
  const { access, driver, plane } = ready
  const credential = await driver.issueCredential(plane, identity, lifetimeMs)
  const { certificate, expiresAt, key } = credential
  const kubeconfig = kubeconfigOf(ready, { ...access, ...credential })
  return { name: identity.user, kubeconfig, certificate, key, expiresAt }
}

function kubeconfigOf({ contexts, plane }: ReadyPlane, access: Access): string {
  return contexts.render({ plane, endpoint: access, user: { kind: 'embedded', access } })
}
