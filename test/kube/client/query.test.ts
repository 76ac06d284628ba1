import { expect, test } from 'vitest'
import { withQuery } from '../../../src/kube/client/query.ts'

test.for([
  ['/api/v1/pods', {}, '/api/v1/pods'],
  ['/api/v1/pods', { limit: undefined }, '/api/v1/pods'],
  ['/api/v1/pods', { limit: '5' }, '/api/v1/pods?limit=5'],
  [
    '/api/v1/pods?fieldSelector=metadata.name%3Da',
    { watch: 'true' },
    '/api/v1/pods?fieldSelector=metadata.name%3Da&watch=true',
  ],
  [
    '/apis/rbac/My%2FRole',
    { continue: 'a&b=c/+' },
    '/apis/rbac/My%2FRole?continue=a%26b%3Dc%2F%2B',
  ],
] as const)('makes of %s and %o the path %s', ([path, query, expected]) => {
  expect(withQuery(path, query)).toBe(expected)
})
