import type { PlaneApi } from '../../../src/control-plane/api/plane-api.ts'

/** Who an API server takes a client for. */
export interface UserInfo {
  username: unknown
  groups: unknown
}

/** Whom an API takes a client for. */
export async function whoAmI(client: Pick<PlaneApi, 'create'>): Promise<UserInfo> {
  const review = await client.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
    metadata: {},
  })
  return userInfoOf(review['status'])
}

/** The user in the status of a SelfSubjectReview. */
function userInfoOf(status: unknown): UserInfo {
  const info: unknown = Reflect.get(Object(status), 'userInfo')
  return {
    username: Reflect.get(Object(info), 'username'),
    groups: Reflect.get(Object(info), 'groups'),
  }
}
