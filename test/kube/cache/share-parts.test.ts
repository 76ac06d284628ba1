import { expect, test } from 'vitest'
import { shareParts } from '../../../src/kube/cache/share-parts.ts'

const pod = () => ({
  metadata: { name: 'a', labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'web:1', ports: [{ containerPort: 80 }] }] },
})

test('is the other value when both are equal', () => {
  const other = pod()

  expect(shareParts(pod(), other)).toBe(other)
})

test('shares each equal part at the same place, and keeps what differs', () => {
  const other = pod()
  const value = { ...pod(), status: { phase: 'Running' } }
  value.metadata.name = 'b'
  value.spec.containers.push({ name: 'next', image: 'web:1', ports: [] })

  const shared = shareParts(value, other)

  expect(shared).toBe(value)
  expect(shared.metadata.labels).toBe(other.metadata.labels)
  expect(shared.spec.containers[0]).toBe(other.spec.containers[0])
  expect(shared).toEqual({
    metadata: { name: 'b', labels: { app: 'web' } },
    spec: {
      containers: [...pod().spec.containers, { name: 'next', image: 'web:1', ports: [] }],
    },
    status: { phase: 'Running' },
  })
  expect(other).toEqual(pod())
})

test.for([
  ['{"a":1,"b":2}', '{"a":1}'],
  ['{"a":1}', '{"a":1,"b":2}'],
  ['{"a":null}', '{"b":null}'],
  ['[1,2]', '[1]'],
  ['[1]', '[1,2]'],
  ['[]', '{}'],
  ['{}', '[]'],
  ['{"a":{}}', '{"a":null}'],
  ['{"a":null}', '{"a":{}}'],
  ['{"__proto__":{}}', '{"a":{}}'],
  ['{"__proto__":{"b":1}}', '{"__proto__":{}}'],
  ['{"constructor":{}}', '{}'],
])('leaves %s as it is beside %s', ([value = '', other = '']) => {
  const known: unknown = JSON.parse(other)

  const shared: unknown = shareParts(JSON.parse(value), known)

  expect(JSON.stringify(shared)).toBe(value)
  expect(JSON.stringify(known)).toBe(other)
})
