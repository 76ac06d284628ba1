import { expect, test } from 'vitest'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { reviewToken } from '../../../../src/syncer/kubelet/requests/kubelet-page.ts'

const USER = {
  username: 'system:serviceaccount:kube-system:metrics-server',
  uid: 'u-1',
  groups: ['system:serviceaccounts'],
  extra: { pod: ['metrics-server-1'] },
}

/** What becomes of a token of which a plane says this. */
async function reviewed(authentication: object, authorization: object = { allowed: true }) {
  const asked: KubeObject[] = []
  const plane = {
    create: async (_: string, object: KubeObject) => {
      asked.push(object)
      return { ...object, status: object.kind === 'TokenReview' ? authentication : authorization }
    },
  }
  const reading = { token: 'secret', node: 'worker-7', subresource: 'metrics' }
  const access = await reviewToken(plane, reading, AbortSignal.timeout(5000))
  return { access, asked }
}

test('asks whose token it is, and whether they may read about the node', async () => {
  const { access, asked } = await reviewed({ authenticated: true, user: USER })

  expect(access).toBe('allowed')
  expect(asked.map(({ kind, spec }) => [kind, spec])).toEqual([
    ['TokenReview', { token: 'secret' }],
    [
      'SubjectAccessReview',
      {
        user: USER.username,
        uid: USER.uid,
        groups: USER.groups,
        extra: USER.extra,
        resourceAttributes: {
          verb: 'get',
          version: 'v1',
          resource: 'nodes',
          subresource: 'metrics',
          name: 'worker-7',
        },
      },
    ],
  ])
})

test.for([
  ['unknown', { authenticated: false, user: USER }, { allowed: true }],
  ['unknown', { user: USER }, { allowed: true }],
  ['unknown', { authenticated: true, user: {} }, { allowed: true }],
  ['unknown', { error: 'no such token' }, { allowed: true }],
  ['forbidden', { authenticated: true, user: USER }, { allowed: false }],
  ['forbidden', { authenticated: true, user: USER }, {}],
] as const)('says %s when the plane says %j and %j', async ([access, who, may]) => {
  expect((await reviewed(who, may)).access).toBe(access)
})
