import type { PlaneApi } from '../../control-plane/api/plane-api.ts'
import type { ApiAccess } from '../../control-plane/use-cases/access/access.ts'
import { createKubeClient } from '../../kube/client/client.ts'

/** A client of a plane's API. */
export function openApi({ certificate, certificateAuthority, key, server }: ApiAccess): PlaneApi {
  return createKubeClient({ server, certificateAuthority, certificate, key })
}
