import { expect, test } from 'vitest'
import { planeManifests } from '../../../src/manifests/render/plane-manifests.ts'
import { podSpecOf, withRestore } from '../../../src/manifests/restore/with-restore.ts'
import { manifestInputOf } from '../manifest-input-of.ts'

const RESTORE = {
  former: 'etcd-before-now',
  sha256: 'f'.repeat(64),
  sizeBytes: 7,
  helperImage: 'node',
}

test('gives members another token, and other data, whenever revisions are others', () => {
  const [first, again, other] = [5, 5, 6].map(attemptOf)

  expect(first?.token).toBe(`etcd-before-now-${'f'.repeat(16)}-5`)
  expect(first?.attempt).toBe(`etcd-before-now ${'f'.repeat(64)} 5`)
  expect(again).toEqual(first)
  expect(other?.token).not.toBe(first?.token)
  expect(other?.attempt).not.toBe(first?.attempt)
})

function attemptOf(bump: number) {
  const input = manifestInputOf({ etcd: { replicas: 3 } })
  const found = planeManifests(input).find(
    ({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'vplane-dev-etcd',
  )
  expect.assert(found !== undefined)
  const text = JSON.stringify(podSpecOf(withRestore(found, input, { ...RESTORE, bump })))
  return {
    token: /--initial-cluster-token=([^"]+)"/.exec(text)?.[1],
    attempt: /"VPLANE_ATTEMPT","value":"([^"]+)"/.exec(text)?.[1],
  }
}
