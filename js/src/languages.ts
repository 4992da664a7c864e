/** Names and aliases of the languages in the part "languages" (a test holds the two together). */
export const LATER_LANGUAGES: ReadonlySet<string> = new Set(
  (
    "atom c c# c++ cc cmake cmake.in console cpp cs csharp css cxx docker dockerfile go golang gql graphql " +
    "h h++ haskell hh hpp hs html hxx ini java jl jsp julia kotlin kt kts latex lua mak make makefile markdown md " +
    "mk mkd mkdown perl php pl plist pluto pm podspec powershell ps ps1 pwsh r rb rs rss ruby rust scala scss shell " +
    "shellsession sql svg swift tex thor toml wsf xhtml xjb xml xsd xsl yaml yml"
  ).split(" "),
);
