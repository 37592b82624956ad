#pragma once

#include <string>

namespace tandem::evaluation::svg {

/// The style sheet of a drawing with so many series. Ground and ink change together with the reader's choice
/// of light or dark, so that the drawing is readable on any page.
[[nodiscard]] std::string style_of(std::size_t series);

}  // namespace tandem::evaluation::svg
