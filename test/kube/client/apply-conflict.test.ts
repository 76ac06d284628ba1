import { expect, test } from 'vitest'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import { httpStatusOf } from '../../../src/kube/kube-error.ts'
import { sendJson, startFakeApiServer } from '../../support/api/fake-api-server.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const PATH = '/apis/apps/v1/namespaces/default/deployments/web'
const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } }

test('names the other managers and their fields', async () => {
  await using server = await startConflicts([
    ['conflict with "kubectl-edit" using apps/v1', '.spec.replicas'],
    ['conflict with "kubectl-edit" using apps/v1', '.spec.template.spec.containers'],
    ['conflict with "hpa" with subresource "scale" using autoscaling/v1', '.spec.replicas'],
  ])
  await using client = createKubeClient(server.connection)

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
  await using server = await startConflicts([['conflict with somebody', '.spec.replicas']])
  await using client = createKubeClient(server.connection)

  await expect(client.apply(PATH, WEB, { force: false })).rejects.toThrow(
    'cannot change Deployment "web": "conflict with somebody" manages .spec.replicas',
  )
})

test('leaves conflicts of other kinds to the words of the server', async () => {
  await using server = await startConflicts([])
  await using client = createKubeClient(server.connection)

  await expect(client.apply(PATH, WEB)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: 'Apply failed',
  })
})

/** An API server at which every apply is in conflict, for each message and field. */
function startConflicts(causes: Array<[message: string, field: string]>) {
  const status = {
    kind: 'Status',
    status: 'Failure',
    code: 409,
    reason: 'Conflict',
    message: 'Apply failed',
    details: {
      causes: causes.map(([message, field]) => ({
        reason: 'FieldManagerConflict',
        message,
        field,
      })),
    },
  }
  return startFakeApiServer((_, response) => sendJson(response, status, 409))
}
