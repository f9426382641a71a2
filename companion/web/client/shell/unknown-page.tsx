import { usePageTitle } from './page-title.ts';
import { TopBar } from './top-bar.tsx';

export function UnknownPage() {
  usePageTitle('No such page');
  return (
    <>
      <TopBar />
      <main id="main" class="column">
        <h1>There is no page at this address</h1>
        <p>
          The address may be mistyped. Everything kept is in <a href="/">the library</a>.
        </p>
      </main>
    </>
  );
}
