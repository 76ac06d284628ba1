import { expect, test } from 'vitest'
import { httpStatusOf } from '../../../src/kube/kube-error.ts'
import { sendJson } from '../../support/api/fake-api-server.ts'
import { servedClient } from '../../support/api/served-client.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const PATH = '/apis/apps/v1/namespaces/default/deployments/web'
const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } }

test('names the other managers and their fields', async () => {
  const { client } = await servedConflicts([
    ['conflict with "kubectl-edit" using apps/v1', '.spec.replicas'],
    ['conflict with "kubectl-edit" using apps/v1', '.spec.template.spec.containers'],
    ['conflict with "hpa" with subresource "scale" using autoscaling/v1', '.spec.replicas'],
  ])

  const error = await rejectionOf(client.apply(PATH, WEB, { force: false }))

  expect(error).toMatchObject({
    code: 'CONFLICT',
    message:
      'cannot change Deployment "web": "kubectl-edit" manages .spec.replicas, ' +
      '.spec.template.spec.containers; "hpa" manages .spec.replicas',
  })
  expect(httpStatusOf(error)).toBe(409)
})

test('keeps what the server says about a manager that it does not name', async () => {
  const { client } = await servedConflicts([['conflict with someone', '.spec.replicas']])

  await expect(client.apply(PATH, WEB, { force: false })).rejects.toThrow(
    'cannot change Deployment "web": "conflict with someone" manages .spec.replicas',
  )
})

test('leaves conflicts of other kinds to the words of the server', async () => {
  const { client } = await servedConflicts([])

  const conflict = { code: 'CONFLICT', message: 'Apply failed' }
  await expect(client.apply(PATH, WEB)).rejects.toMatchObject(conflict)
})

/** A client whose every apply is in conflict, for each message and field. */
function servedConflicts(fields: Array<[message: string, field: string]>) {
  const reason = 'FieldManagerConflict'
  const causes = fields.map(([message, field]) => ({ reason, message, field }))
  const message = 'Apply failed'
  const status = { kind: 'Status', status: 'Failure', code: 409, reason: 'Conflict', message }
  return servedClient((_, response) => sendJson(response, { ...status, details: { causes } }, 409))
}
