import { expect, test } from 'vitest'
import { objectDifferences } from '../../../../src/drivers/kubernetes/change/object-differences.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'

test('shows fields, flags and lines of texts that differ, and nothing else', () => {
  const deployment = (image: string, flag: string) => {
    const containers = [{ name: 'a', image, args: ['--same', flag] }, { name: 'b' }]
    return objectOf('Deployment', { spec: { template: { spec: { containers } } } })
  }
  const texts = ['one\ntwo\n', 'one\nthree\n'].map((text) =>
    objectOf('ConfigMap', { data: { file: text } }),
  )

  expect(objectDifferences(deployment('x:1', '--v=2'), deployment('x:2', '--v=4'))).toEqual([
    '- spec.template.spec.containers[a].image: "x:1"',
    '+ spec.template.spec.containers[a].image: "x:2"',
    '- spec.template.spec.containers[a].args: "--v=2"',
    '+ spec.template.spec.containers[a].args: "--v=4"',
  ])
  expect(objectDifferences(at(texts, 0), at(texts, 1))).toEqual([
    '- data.file: two',
    '+ data.file: three',
  ])
})

test('shows neither the contents of a Secret nor fields of the host', () => {
  const [before, after] = ['b2xk', 'bmV3'].map((secret) =>
    objectOf('Secret', { data: { key: secret, other: 'c2FtZQ==' }, status: { secret } }),
  )
  expect.assert(before !== undefined && after !== undefined)

  const lines = objectDifferences({ ...before, metadata: { uid: '1', labels: { a: 'b' } } }, after)

  expect(lines).toEqual(['- labels.a: "b"', '~ data.key, which is not shown'])
})

test('shortens long lines', () => {
  const [before, after] = ['x', 'y'].map((letter) =>
    objectOf('ConfigMap', { data: { long: letter.repeat(500) } }),
  )
  expect.assert(before !== undefined && after !== undefined)

  expect(objectDifferences(before, after).map(({ length }) => length)).toEqual([161, 161])
})

function objectOf(kind: string, fields: object): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name: 'x' }, ...fields }
}

function at(objects: readonly KubeObject[], index: number): KubeObject {
  const found = objects[index]
  expect.assert(found !== undefined)
  return found
}
