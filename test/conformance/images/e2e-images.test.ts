import { expect, test } from 'vitest'
import { e2eImages } from './e2e-images.ts'

const LISTED = `registry.k8s.io/e2e-test-images/agnhost:2.63.0
registry.k8s.io/e2e-test-images/nonroot:1.5
registry.k8s.io/e2e-test-images/volume/nfs:1.6.0
invalid.registry.k8s.io/invalid/alpine:3.1
`

test('has the images that can be built, with the commands of upstream, and no others', () => {
  expect(e2eImages(LISTED)).toEqual([
    {
      name: 'registry.k8s.io/e2e-test-images/agnhost:2.63.0',
      entrypoint: ['/agnhost'],
      command: ['pause'],
    },
    {
      name: 'registry.k8s.io/e2e-test-images/nonroot:1.5',
      entrypoint: ['/agnhost'],
      command: ['pause'],
      user: '1234',
    },
  ])
})
