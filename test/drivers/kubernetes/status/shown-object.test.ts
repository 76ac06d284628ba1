import { expect, test } from 'vitest'
import { shownObject } from '../../../../src/drivers/kubernetes/status/shown-object.ts'

test('names what a Secret holds, and shows none of it wherever it is repeated', () => {
  const shown = shownObject({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'vplane-dev-keys',
      annotations: { 'vplane.dev/made-by': '1.0.0', 'copier.example/original': 'aGlkZGVu' },
      managedFields: [{}],
    },
    data: { 'sa.key': 'aGlkZGVu' },
    stringData: { token: 'hidden' },
  })

  expect(shown).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'vplane-dev-keys',
      annotations: {
        'vplane.dev/made-by': '1.0.0',
        'copier.example/original': '(8 characters, left out)',
      },
    },
    data: { 'sa.key': '(8 characters, left out)' },
    stringData: { token: '(6 characters, left out)' },
  })
})

test('shows no variable of a container whose name says that it is secret', () => {
  const pod = (value: string) => {
    const source = { secretKeyRef: { name: 's3', key: 'token' } }
    const env = [
      { name: 'GOGC', value: '50' },
      { name: 'AWS_SECRET_ACCESS_KEY', value },
      { name: 'TOKEN', valueFrom: source },
    ]
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'vplane-dev-keeper-0', annotations: { note: 'mine' } },
      spec: { containers: [{ name: 'keeper', env }] },
    }
  }

  expect(shownObject(pod('hidden'))).toEqual(pod('(6 characters, left out)'))
})
