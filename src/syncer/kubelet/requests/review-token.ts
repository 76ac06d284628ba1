import type { KubeClient } from '../../../kube/client/client.ts'
import { type Json, recordAt } from '../../../shared/json-fields.ts'

/** The access of a client; `unknown` if its token is invalid. */
export type Access = 'allowed' | 'forbidden' | 'unknown'

interface TokenUse {
  token: string
  node: string
  /** The subresource of `nodes` in RBAC: `metrics`, `stats`. */
  subresource: string
}

/** Lets the plane review a token and its access to a node, as kubelets do with webhook authentication and authorization. */
export async function reviewToken(
  plane: Pick<KubeClient, 'create'>,
  { node, subresource, token }: TokenUse,
  signal: AbortSignal,
): Promise<Access> {
  const review = async (group: 'authentication' | 'authorization', kind: string, spec: Json) => {
    const apiVersion = `${group}.k8s.io/v1`
    const path = `/apis/${apiVersion}/${kind.toLowerCase()}s`
    const answer = await plane.create(path, { apiVersion, kind, metadata: {}, spec }, { signal })
    return recordAt(answer, 'status') ?? {}
  }
  const known = await review('authentication', 'TokenReview', { token })
  const { extra, groups, uid, username: user } = recordAt(known, 'user') ?? {}
  if (known['authenticated'] !== true || typeof user !== 'string' || user === '') {
    return 'unknown'
  }
  const about = { verb: 'get', version: 'v1', resource: 'nodes', subresource, name: node }
  const asked = { user, groups, uid, extra, resourceAttributes: about }
  const { allowed } = await review('authorization', 'SubjectAccessReview', asked)
  return allowed === true ? 'allowed' : 'forbidden'
}
