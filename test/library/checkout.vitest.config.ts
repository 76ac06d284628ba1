import { defineConfig } from 'vitest/config'

const LIBRARY = new URL('../../src/library/', import.meta.url).pathname

// What a project that uses vplane runs with, when vplane is this checkout: its own configuration is merged in.
export default defineConfig(async () => {
  const own = process.env['VPLANE_TEST_CONFIG']
  const { default: config } = own === undefined ? { default: {} } : await import(own)
  return {
    ...config,
    resolve: {
      alias: [
        { find: /^vplane$/, replacement: `${LIBRARY}index.ts` },
        { find: /^vplane\/(.+)$/, replacement: `${LIBRARY}$1.ts` },
      ],
    },
  }
})
