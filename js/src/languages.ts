/** Names and aliases of the languages in the part "languages" (a test holds the two together). */
export const LATER_LANGUAGES: ReadonlySet<string> = new Set(
  (
    "atom c c# c++ cc cjs cmake cmake.in console cpp cs csharp css cts cxx docker dockerfile go golang gql graphql " +
    "h h++ haskell hh hpp hs html hxx ini java javascript jl js jsp jsx julia kotlin kt kts latex lua mak make makefile markdown md " +
    "mjs mk mkd mkdown mts perl php pl plist pluto pm podspec powershell ps ps1 pwsh r rb rs rss ruby rust scala scss shell " +
    "shellsession sql svg swift tex thor toml ts tsx typescript wsf xhtml xjb xml xsd xsl yaml yml"
  ).split(" "),
);
