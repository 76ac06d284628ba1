import { afterEach, vi } from 'vitest'

// Vitest takes stubs away before the next test, which is after the hooks that begin the next file.
afterEach(() => {
  vi.unstubAllEnvs()
})
