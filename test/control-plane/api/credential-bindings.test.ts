import { expect, test } from 'vitest'
import { deleteFormerBindings } from '../../../src/control-plane/api/credential-bindings.ts'
import { resolveCredentials } from '../../../src/control-plane/spec/credentials/credentials-spec.ts'
import { MemoryApi } from '../../support/api/memory-api.ts'

test('deletes the ClusterRoleBindings of entries that left the spec, and no others', async () => {
  const api = new MemoryApi()
  const former = resolveCredentials({
    gone: { user: 'a', clusterRole: 'view' },
    kept: { user: 'b', clusterRole: 'view' },
    unbound: { user: 'c' },
  })
  const wanted = resolveCredentials({ kept: { user: 'b' } })

  await deleteFormerBindings(api, { former, wanted }, new AbortController().signal)

  const path = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
  expect(api.calls).toEqual([`delete ${path}/vplane:credential:gone`])
})
