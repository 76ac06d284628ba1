import type { Lab } from './lab.ts'

/** A namespace that goes with its test. */
export async function makeNamespace({ kubectl }: Lab) {
  const created = await kubectl(
    ['create', '--filename', '-', '--output', 'jsonpath={.metadata.name}'],
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { generateName: 'lab-test-' },
    }),
  )
  return {
    name: created,
    kubectl: (...args: string[]) => kubectl(['--namespace', created, ...args]),
    apply: (object: object) =>
      kubectl(['--namespace', created, 'apply', '--filename', '-'], JSON.stringify(object)),
    [Symbol.asyncDispose]: async () => {
      await kubectl(['delete', 'namespace', created, '--wait=false'])
    },
  }
}
