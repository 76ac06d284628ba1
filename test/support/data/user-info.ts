/** Who an API server takes a client for. */
export interface UserInfo {
  username: unknown
  groups: unknown
}

/** The user in the status of a SelfSubjectReview. */
export function userInfoOf(status: unknown): UserInfo {
  const info: unknown = Reflect.get(Object(status), 'userInfo')
  return {
    username: Reflect.get(Object(info), 'username'),
    groups: Reflect.get(Object(info), 'groups'),
  }
}
