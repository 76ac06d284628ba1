import { type MemoryHostHooks, refusal } from '../api/memory-host-api.ts'

/** The hooks of a host that refuses some requests, such as `list /api/v1/pods`. @default all of them */
export function refusing(
  status: number,
  message: string,
  some: RegExp | ((request: string) => boolean) = /./,
): Required<Pick<MemoryHostHooks, 'onRequest'>> {
  const isRefused = typeof some === 'function' ? some : (request: string) => some.test(request)
  return {
    onRequest: ({ path, verb }) => {
      if (isRefused(`${verb} ${path}`)) {
        throw refusal(status, message)
      }
    },
  }
}
