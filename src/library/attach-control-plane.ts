import { compose } from '../compose/compose.ts'
import { isReadable } from '../control-plane/plane/unreadable-plane.ts'
import { ADMIN } from '../control-plane/plane/plane.ts'
import { processEnvironment } from '../shared/environment.ts'
import { VplaneError } from '../shared/errors.ts'
import { silentUi } from '../shared/ui.ts'
import type { SharedControlPlane, WebhookServing } from './types/control-plane.ts'
import { planeHandle } from './handle/plane-handle.ts'

/** Says which running plane is meant; it can be sent between processes of one user. */
export interface PlaneTicket {
  /** Where the planes of the library lie. */
  root: string
  name: string
  webhooks?: WebhookServing
}

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Uses a plane that another process of this user started and goes on owning, with a credential of its own.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was stopped.
 */
export async function attachControlPlane({
  name,
  root,
  webhooks,
}: PlaneTicket): Promise<SharedControlPlane & AsyncDisposable> {
  const environment = processEnvironment()
  const { contexts, drivers, openApi } = compose({ environment, root, ui: silentUi })
  for (const driver of drivers.filter(({ name: driverName }) => driverName === 'local')) {
    const plane = (await driver.find(name)).find(isReadable)
    if (plane !== undefined) {
      const access = {
        ...(await driver.endpoint(plane)),
        ...(await driver.issueCredential(plane, ADMIN, DAY_MS)),
      }
      const api = openApi(access)
      return {
        ...planeHandle({ driver, plane, access, api, contexts, webhooks }),
        [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
      }
    }
  }
  throw new VplaneError('CONTROL_PLANE_NOT_FOUND', `the control plane "${name}" was stopped`)
}
