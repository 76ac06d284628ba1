import type { KubeClient } from '../../../kube/client/client.ts'
import { type Json, recordAt } from '../../../shared/json-fields.ts'

/** What somebody may do: `unknown` is somebody of whom nobody knows who it is. */
export type Access = 'allowed' | 'forbidden' | 'unknown'

export interface Reading {
  token: string
  node: string
  /** The part of a node that RBAC knows: `metrics`, `stats`. */
  subresource: string
}

/**
 * Asks the plane who has a token and whether they may read about a node, as kubelets do with
 * `authentication.webhook` and `authorization.mode: Webhook`.
 */
export async function reviewToken(
  plane: Pick<KubeClient, 'create'>,
  { node, subresource, token }: Reading,
  signal: AbortSignal,
): Promise<Access> {
  const ask = async (group: 'authentication' | 'authorization', kind: string, spec: Json) => {
    const apiVersion = `${group}.k8s.io/v1`
    const path = `/apis/${apiVersion}/${kind.toLowerCase()}s`
    const review = await plane.create(path, { apiVersion, kind, metadata: {}, spec }, { signal })
    return recordAt(review, 'status') ?? {}
  }
  const known = await ask('authentication', 'TokenReview', { token })
  const { extra, groups, uid, username: user } = recordAt(known, 'user') ?? {}
  if (known['authenticated'] !== true || typeof user !== 'string' || user === '') {
    return 'unknown'
  }
  const about = { verb: 'get', version: 'v1', resource: 'nodes', subresource, name: node }
  const asked = { user, groups, uid, extra, resourceAttributes: about }
  const { allowed } = await ask('authorization', 'SubjectAccessReview', asked)
  return allowed === true ? 'allowed' : 'forbidden'
}
