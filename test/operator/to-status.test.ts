import { expect, test } from 'vitest'
import { type Observation, toResourceStatus } from '../../src/operator/resource/to-status.ts'
import type { PlaneStatus } from '../../src/control-plane/status/plane-status.ts'

const BEFORE = '2026-06-01T12:00:00.000Z'
const NOW = new Date('2026-06-01T13:00:00Z')

const resource = (conditions: object[] = []) => ({
  apiVersion: 'vplane.dev/v1beta1',
  kind: 'ControlPlane',
  metadata: { name: 'dev', namespace: 'team-a', generation: 3 },
  status: { conditions },
})

const STATUS: PlaneStatus = { phase: 'Ready', components: [] }

const conditionsOf = (status: Record<string, unknown>) => status['conditions']

test('is ready when its plane is, of the generation that was looked at', () => {
  const status = toResourceStatus(resource(), { status: STATUS }, NOW)

  expect(status).toMatchObject({ observedGeneration: 3 })
  expect(conditionsOf(status)).toContainEqual({
    type: 'Ready',
    status: 'True',
    reason: 'Ready',
    message: '',
    observedGeneration: 3,
    lastTransitionTime: NOW.toISOString(),
  })
})

test('keeps the time of a condition that has not changed', () => {
  const known = { type: 'Ready', status: 'True', lastTransitionTime: BEFORE }

  const same = toResourceStatus(resource([known]), { status: STATUS }, NOW)
  const other = { status: { ...STATUS, phase: 'NotReady' as const } }
  const changed = toResourceStatus(resource([known]), other, NOW)

  expect(conditionsOf(same)).toContainEqual(
    expect.objectContaining({ type: 'Ready', lastTransitionTime: BEFORE }),
  )
  expect(conditionsOf(changed)).toContainEqual(
    expect.objectContaining({ type: 'Ready', lastTransitionTime: NOW.toISOString() }),
  )
})

test('remembers the spec of a plane that cannot be read', () => {
  const resolved = { version: '1.36.3' }
  const known = { ...resource(), status: { resolved } }
  const failure = { reason: 'Unreachable', message: 'the host does not answer' }

  expect(toResourceStatus(known, { failure }, NOW)).toMatchObject({ resolved })
})

test('names the operation that is under way, and what prevents the wanted state', () => {
  const operation = {
    kind: 'change',
    step: 'replacing kube-apiserver',
    since: NOW,
    at: NOW,
    holder: 'a',
    isInterrupted: false,
    hints: [],
  }
  const failure = { reason: 'InvalidSpec', message: 'version: is not known' }

  const status = toResourceStatus(resource(), { status: { ...STATUS, operation }, failure }, NOW)

  expect(conditionsOf(status)).toMatchObject([
    { type: 'Ready', status: 'False', ...failure },
    { type: 'Progressing', status: 'True', reason: 'change', message: 'replacing kube-apiserver' },
    { type: 'Degraded', status: 'True', ...failure },
  ])
})

test('keeps the address of a plane while the operator works on it', () => {
  const endpoint = 'https://vplane-dev-api.team-a.svc'
  const known = { ...resource(), status: { endpoint, replicas: 2 } }

  const status = toResourceStatus(known, { work: 'Replacing kube-apiserver' }, NOW)

  expect(status).toMatchObject({ endpoint, replicas: 2 })
  expect(conditionsOf(status)).toContainEqual(
    expect.objectContaining({
      type: 'Progressing',
      status: 'True',
      message: 'Replacing kube-apiserver',
    }),
  )
})

test('says whether the Secrets with credentials are written', () => {
  const conditionOf = (...credentials: NonNullable<Observation['credentials']>) =>
    toResourceStatus(resource(), { status: STATUS, credentials }, NOW)['conditions']

  expect(conditionOf({ entry: 'flux', isWritten: true })).toContainEqual(
    expect.objectContaining({ type: 'CredentialsReady', status: 'True' }),
  )
  expect(conditionOf({ entry: 'flux', isWritten: false })).toContainEqual(
    expect.objectContaining({ type: 'CredentialsReady', status: 'False', reason: 'NotWritten' }),
  )
  expect(conditionOf({ entry: 'flux', failure: 'it exists' })).toContainEqual(
    expect.objectContaining({ type: 'CredentialsReady', message: 'flux: it exists' }),
  )
  expect(conditionOf()).not.toContainEqual(expect.objectContaining({ type: 'CredentialsReady' }))
})
