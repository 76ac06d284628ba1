import type { KubeClient } from '../../../kube/client/client.ts'
import { type Json, recordAt, textAt } from '../../translate/reading.ts'

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
  const user = await userOf(plane, token, signal)
  if (user === undefined) {
    return 'unknown'
  }
  const review = await plane.create(
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: {
        ...user,
        resourceAttributes: {
          verb: 'get',
          version: 'v1',
          resource: 'nodes',
          subresource,
          name: node,
        },
      },
    },
    { signal },
  )
  return recordAt(review, 'status')?.['allowed'] === true ? 'allowed' : 'forbidden'
}

/** The user in the words of a SubjectAccessReview. */
async function userOf(
  plane: Pick<KubeClient, 'create'>,
  token: string,
  signal: AbortSignal,
): Promise<Json | undefined> {
  const review = await plane.create(
    '/apis/authentication.k8s.io/v1/tokenreviews',
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: {},
      spec: { token },
    },
    { signal },
  )
  const status = recordAt(review, 'status') ?? {}
  const user = recordAt(status, 'user') ?? {}
  const name = textAt(user, 'username')
  if (status['authenticated'] !== true || name === undefined) {
    return undefined
  }
  const { extra, groups, uid } = user
  return { user: name, groups, uid, extra }
}
